/** How wide a product's page shows its first picture. */
export const gallerySizes = '(min-width: 720px) 46vw, 92vw';
