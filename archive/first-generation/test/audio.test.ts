import { codeOf, event, rig } from './rig.js';
import type { Rig } from './rig.js';

const BYTES = Buffer.from([0, 1, 2, 253, 254, 255]);
const CHUNK = { message_id: 'a' };

describe('audio and binary', () => {
  let own: Rig;
  beforeAll(async () => {
    own = await rig({ maxMessageBytes: 4096 });
  });
  afterAll(() => own.stop());

  it('comes as base64 over any transport', async () => {
    const client = await own.join('sse');
    const fired = event(own.server, 'audioChunk');
    await client.send('AUDIO_CHUNK', 'AUDIO_IN', {
      ...CHUNK,
      mime: 'audio/ogg',
      data: BYTES.toString('base64'),
      duration_ms: 20,
    });
    const [sessionId, message] = await fired;
    expect(sessionId).toBe(client.session);
    expect(Buffer.from(message.payload['data'] as string, 'base64')).toEqual(BYTES);
  });

  it('comes as the frame after its message', async () => {
    const client = await own.join();
    const chunk = event(own.server, 'audioChunk');
    const frame = event(own.server, 'binary');
    const extras = { bin_len: BYTES.length, bin_mime: 'audio/ogg' };
    await client.send('AUDIO_CHUNK', 'AUDIO_IN', CHUNK, extras, BYTES);
    expect((await chunk)[1]).toMatchObject(extras);
    expect(await frame).toEqual([client.session, BYTES]);
  });

  it('comes as a frame of its own', async () => {
    const client = await own.join();
    const frame = event(own.server, 'binary');
    await client.sendRaw(
      JSON.stringify({
        id: 'p',
        session: 's',
        seq: '50',
        ts: 't',
        channel: 'SYSTEM',
        type: 'PING',
        payload: {},
      }),
      BYTES,
    );
    expect((await frame)[1]).toEqual(BYTES);
  });

  it.each([
    ['a frame of another length', { bin_len: 5, bin_mime: 'audio/ogg' }, BYTES],
    ['no bytes', {}, undefined],
    ['bytes of no type', { bin_len: BYTES.length }, BYTES],
    ['a frame larger than a message', { bin_len: 5000, bin_mime: 'audio/ogg' }, undefined],
  ])('is INVALID_MESSAGE with %s', async (_what, extras, binary) => {
    const client = await own.join();
    let chunks = 0;
    own.server.on('audioChunk', () => (chunks += 1));
    await client.send('AUDIO_CHUNK', 'AUDIO_IN', CHUNK, { ...extras, id: 'wrong' }, binary);
    const error = await client.next('ERROR');
    expect(error.payload).toMatchObject({ code: 'INVALID_MESSAGE', related_id: 'wrong' });
    expect(chunks).toBe(0);
  });

  it('is INVALID_MESSAGE where no frame can follow', async () => {
    const client = await own.join('http');
    await client.send('AUDIO_CHUNK', 'AUDIO_IN', CHUNK, { bin_len: 6, bin_mime: 'audio/ogg' });
    expect(codeOf(await client.next('ERROR'))).toBe('INVALID_MESSAGE');
  });

  it('goes to the client as a frame, or as base64 where there are none', async () => {
    const [socket, stream] = [await own.join('websocket'), await own.join('http')];
    for (const client of [socket, stream]) {
      own.server.sendMessage(
        client.session,
        { type: 'AUDIO_CHUNK', channel: 'AUDIO_OUT', payload: CHUNK, bin_mime: 'audio/ogg' },
        BYTES,
      );
    }
    expect(await socket.next('AUDIO_CHUNK')).toMatchObject({ bin_len: 6, bin_mime: 'audio/ogg' });
    await socket.send('PING', 'SYSTEM', {});
    await socket.next('PONG');
    expect(socket.frames).toEqual([BYTES]);
    const text = await stream.next('AUDIO_CHUNK');
    expect(text.bin_len).toBeUndefined();
    expect(text.payload).toEqual({
      ...CHUNK,
      mime: 'audio/ogg',
      data: BYTES.toString('base64'),
    });
  });
});
