// The constructors are gone from the app's own realm, not from a frame that the app makes.
run(() => [
  attempt('webrtc', 'frame of its own', () => {
    const script = `const peer = new RTCPeerConnection(${JSON.stringify(ICE)}); peer.createDataChannel('x');
      peer.createOffer().then((offer) => peer.setLocalDescription(offer));`;
    document.body.append(make('iframe', { srcdoc: `<script>${script}<\/script>` }));
  }),
]);
