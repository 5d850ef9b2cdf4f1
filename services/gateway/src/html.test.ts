import { html } from './html.js';

describe('html', () => {
  test('escapes every value and keeps the template', () => {
    const name = `<img src=x onerror="a('&')">`;
    expect(html`<p title="${name}">${name}</p>`.markup).toBe(
      '<p title="&lt;img src=x onerror=&quot;a(&#39;&amp;&#39;)&quot;&gt;">' +
        '&lt;img src=x onerror=&quot;a(&#39;&amp;&#39;)&quot;&gt;</p>',
    );
  });

  test('nests, and joins lists', () => {
    expect(html`<ul>${['a<', 'b'].map((item) => html`<li>${item}</li>`)}</ul>${3}`.markup).toBe(
      '<ul><li>a&lt;</li><li>b</li></ul>3',
    );
  });
});
