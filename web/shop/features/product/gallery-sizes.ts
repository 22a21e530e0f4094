/** How wide a product's page shows its first picture. */
export const gallerySizes = '(width >= 45em) 46vw, 92vw';
