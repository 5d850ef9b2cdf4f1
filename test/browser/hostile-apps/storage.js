run(() => [
  attempt('storage', 'cookie', () => {
    document.cookie = 'a=1';
    return document.cookie.includes('a=1');
  }),
  attempt('storage', 'cookie store', () => cookieStore.set('a', '1').then(() => true)),
  attempt('storage', 'localStorage', () => (localStorage.setItem('a', '1'), true)),
  attempt('storage', 'sessionStorage', () => (sessionStorage.setItem('a', '1'), true)),
  attempt(
    'storage',
    'IndexedDB',
    () =>
      new Promise((resolve, reject) => {
        const request = indexedDB.open('a');
        request.onsuccess = () => resolve(true);
        request.onerror = reject;
      }),
  ),
  attempt('storage', 'caches', () => caches.open('a').then(() => true)),
  attempt('storage', 'private file system', () =>
    navigator.storage.getDirectory().then(() => true),
  ),
  attempt(
    'storage',
    'shared worker',
    () =>
      new Promise((resolve, reject) => {
        const worker = new SharedWorker(
          URL.createObjectURL(new Blob(['onconnect = (e) => e.ports[0].postMessage(1)'])),
        );
        worker.port.onmessage = () => resolve(true);
        worker.onerror = reject;
        worker.port.start();
      }),
  ),
  attempt('storage', 'service worker', () =>
    navigator.serviceWorker.register('data:text/javascript,').then(() => true),
  ),
  attempt(
    'storage',
    'broadcast to other apps',
    () =>
      new Promise((resolve) => {
        // The trusted page of this test listens as well.
        const channel = new BroadcastChannel('apps');
        channel.onmessage = () => resolve(true);
        channel.postMessage('anybody there?');
      }),
  ),
  attempt('storage', 'locks', () => navigator.locks.request('a', () => true)),
  attempt('storage', 'storage access', () => document.requestStorageAccess().then(() => true)),
]);
