const granted = (promise) => promise.then(() => true);
const position = () =>
  new Promise((resolve, reject) => {
    navigator.geolocation.getCurrentPosition(() => resolve(true), reject);
  });

runOnClick(() => [
  attempt('device', 'camera', () => granted(navigator.mediaDevices.getUserMedia({ video: true }))),
  attempt('device', 'microphone', () =>
    granted(navigator.mediaDevices.getUserMedia({ audio: true })),
  ),
  attempt('device', 'screen', () => granted(navigator.mediaDevices.getDisplayMedia())),
  attempt('device', 'location', position),
  attempt('device', 'USB', () => granted(navigator.usb.requestDevice({ filters: [] }))),
  attempt('device', 'serial', () => granted(navigator.serial.requestPort())),
  attempt('device', 'HID', () => granted(navigator.hid.requestDevice({ filters: [] }))),
  attempt('device', 'Bluetooth', () =>
    granted(navigator.bluetooth.requestDevice({ acceptAllDevices: true })),
  ),
  attempt('device', 'MIDI', () => granted(navigator.requestMIDIAccess())),
  attempt('device', 'wake lock', () => granted(navigator.wakeLock.request())),
  attempt('device', 'idle detection', () =>
    IdleDetector.requestPermission().then((state) => state === 'granted'),
  ),
  attempt('screen', 'full screen', () => granted(document.documentElement.requestFullscreen())),
  attempt('screen', 'pointer lock', () => granted(document.body.requestPointerLock())),
  attempt('screen', 'keyboard lock', () => granted(navigator.keyboard.lock())),
  attempt('screen', 'orientation', () => granted(screen.orientation.lock('portrait'))),
  attempt('screen', 'picture in picture', () => granted(documentPictureInPicture.requestWindow())),
  attempt('screen', 'window placement', () => granted(getScreenDetails())),
  attempt('clipboard', 'read', () => granted(navigator.clipboard.readText())),
  attempt('clipboard', 'write', () => granted(navigator.clipboard.writeText('a'))),
  attempt('clipboard', 'paste command', () => document.execCommand('paste')),
  attempt('dialog', 'alert', () => (alert('Confirm?'), false)),
  attempt('dialog', 'confirm', () => confirm('Confirm?')),
  attempt('dialog', 'prompt', () => prompt('Password?') !== null),
  attempt(
    'dialog',
    'print',
    () =>
      new Promise((resolve) => {
        addEventListener('beforeprint', () => resolve(true));
        print();
      }),
  ),
  attempt('dialog', 'notification', () =>
    Notification.requestPermission().then((state) => state === 'granted'),
  ),
  attempt('dialog', 'leave question', () => {
    addEventListener('beforeunload', (event) => event.preventDefault());
  }),
  attempt('identity', 'credentials', () =>
    navigator.credentials.get({ password: true }).then((found) => found !== null),
  ),
  attempt('identity', 'passkey', () =>
    granted(navigator.credentials.get({ publicKey: { challenge: new Uint8Array(16) } })),
  ),
  attempt('identity', 'payment', () =>
    granted(
      new PaymentRequest([{ supportedMethods: LISTENER }], {
        total: { label: 'a', amount: { currency: 'EUR', value: '1' } },
      }).show(),
    ),
  ),
  attempt('identity', 'share', () => granted(navigator.share({ text: 'a' }))),
  attempt('identity', 'contacts', () => granted(navigator.contacts.select(['email']))),
]);
