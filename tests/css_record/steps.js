await page.size(480, 800);
await page.click('#add');
await page.wait('.later');
await page.type('#name', 'Ada');
if (await page.evaluate('document.body.dataset.name') !== 'Ada') throw new Error('the text was not typed');
await page.goto('two.html');
