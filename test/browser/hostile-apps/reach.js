// What an app may try with a click of a person behind it.
const clicked = (members) => {
  const anchor = make('a', { textContent: 'a', ...members });
  document.body.append(anchor);
  anchor.click();
};
const submit = (members) => {
  const form = make('form', members);
  form.append(make('input', { name: 'a', value: '1' }));
  document.body.append(form);
  form.submit();
};
const opaque = (act) => act() !== undefined;

runOnClick(() => [
  attempt('popup', 'window.open', ({ url }) => window.open(url) !== null),
  attempt('popup', 'window.open blank', () => window.open('about:blank') !== null),
  attempt('popup', 'window.open noopener', ({ url }) => window.open(url, '', 'noopener') !== null),
  attempt('popup', 'anchor', ({ url }) => clicked({ href: url, target: '_blank' })),
  attempt('popup', 'named window', ({ url }) => window.open(url, 'other') !== null),
  attempt('form', 'GET', ({ url }) => submit({ action: url })),
  attempt('form', 'POST', ({ url }) => submit({ action: url, method: 'post' })),
  attempt('form', 'new window', ({ url }) => submit({ action: url, target: '_blank' })),
  attempt('form', 'whole window', ({ url }) => submit({ action: url, target: '_top' })),
  attempt('form', 'button', ({ url }) => {
    const form = make('form');
    const button = make('button', { formAction: url });
    form.append(button);
    document.body.append(form);
    form.requestSubmit(button);
  }),
  attempt('download', 'data', () => clicked({ href: 'data:text/plain,a', download: 'a.txt' })),
  attempt('download', 'blob', () =>
    clicked({ href: URL.createObjectURL(new Blob(['a'])), download: 'a.txt' }),
  ),
  attempt('download', 'file picker', () => showSaveFilePicker().then(() => true)),
  attempt('navigation', 'top.location', ({ url }) => {
    top.location = url;
  }),
  attempt('navigation', 'top.location.replace', ({ url }) => {
    top.location.replace(url);
  }),
  attempt('navigation', 'parent.location', ({ url }) => {
    parent.location = url;
  }),
  attempt('navigation', 'anchor to top', ({ url }) => clicked({ href: url, target: '_top' })),
  attempt('navigation', 'anchor to parent', ({ url }) => clicked({ href: url, target: '_parent' })),
  attempt('navigation', 'window.open to top', ({ url }) => window.open(url, '_top') !== null),
  attempt('navigation', 'script in top', () => {
    top.location = 'javascript:document.title="taken"';
  }),
  attempt('navigation', 'history of the page', () => {
    top.history.back();
  }),
  attempt('parent', 'document of the page', () => opaque(() => top.document)),
  attempt('parent', 'document of the proxy', () => opaque(() => parent.document)),
  attempt('parent', 'variable of the page', () => opaque(() => top.secret)),
  attempt('parent', 'host of the page', () => opaque(() => top.appHost)),
  attempt('parent', 'own frame element', () => window.frameElement !== null),
  attempt('parent', 'eval in the page', () => opaque(() => top.eval('1'))),
  attempt('parent', 'address of the page', () => opaque(() => top.location.href)),
  attempt('parent', 'address of the proxy', () => opaque(() => parent.location.href)),
  attempt('parent', 'name of the page', () => opaque(() => top.name)),
  attempt('parent', 'storage of the page', () => opaque(() => top.localStorage)),
  attempt('parent', 'document.domain', () => {
    document.domain = 'localhost';
    return opaque(() => top.document);
  }),
  attempt('parent', 'opener', () => window.opener !== null),
  attempt('parent', 'close the page', () => {
    top.close();
  }),
  attempt('parent', 'focus another frame', () => opaque(() => top.frames.other)),
]);
