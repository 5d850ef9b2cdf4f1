import { html } from './html.js';

describe('html', () => {
  test('escapes every value and keeps the template', () => {
    const name = `<img src=x onerror="a('&')">`;
    expect(html`<p title="${name}">${name}</p>`.markup).toBe(
      '<p title="&lt;img src=x onerror=&quot;a(&#39;&amp;&#39;)&quot;&gt;">' +
        '&lt;img src=x onerror=&quot;a(&#39;&amp;&#39;)&quot;&gt;</p>',
    );
  });

  test('nests, joins lists and takes numbers', () => {
    const items = ['a<', 'b'].map((item) => html`<i>${item}</i>`);
    expect(html`<b>${items}</b>`.markup).toBe('<b><i>a&lt;</i><i>b</i></b>');
    expect(html`<i>${3}</i>`.markup).toBe('<i>3</i>');
  });
});
