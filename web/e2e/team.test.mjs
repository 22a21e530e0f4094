import { assertAccessible, assertNoSidewaysScroll, picture, tabTo } from './checks.mjs';
import { test } from './fixtures.mjs';
import { signInStaff } from './steps.mjs';

// Who is signed in is asked before anybody is; the browser notes the 401.
test.use({ intended: ['/api/staff/me'] });

for (const width of [360, 1280]) {
  test.describe(() => {
    test.use({ width });
    test(`an admin invites somebody and shuts them out by keyboard at ${width} px`, async ({
      page,
      shop,
    }) => {
      const press = async (target, key = 'Enter') => {
        await tabTo(page, target);
        await page.keyboard.press(key);
      };
      const email = `aru${width}@shop.example`;
      await signInStaff(page, shop, `boss${width}@shop.example`, 'admin');
      await page.goto('/admin/staff');
      await page.getByRole('heading', { name: 'Staff', level: 1 }).waitFor();
      await press(page.getByRole('button', { name: 'Invite' }));
      await page.getByRole('dialog').getByRole('textbox', { name: 'E-mail' }).waitFor();
      await page.keyboard.type(email);
      await assertAccessible(page);
      await page.keyboard.press('Enter');
      const link = page.getByRole('textbox', { name: 'Link for a password' });
      await link.waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, 'staff-invited', { fullPage: false });
      await press(page.getByRole('dialog').getByRole('button', { name: 'Disable' }));
      await press(
        page.getByRole('dialog', { name: `Disable: ${email}` }).getByRole('button', { name: 'Disable' }),
      );
      await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).waitFor();
      await press(page.getByRole('dialog').getByRole('button', { name: 'Close' }));
      await page.getByRole('row', { name: email }).getByText('Disabled').waitFor();
      await assertNoSidewaysScroll(page);
      await assertAccessible(page);
      await picture(page, 'staff');
    });
  });
}
