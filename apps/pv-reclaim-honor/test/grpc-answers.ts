import type { ServerHttp2Stream } from 'node:http2';

/*
 * What a CSI driver called `a.example.com` answers, for servers that do with a connection what a gRPC server can't be
 * asked to do.
 */

/** By path; in protobuf. */
export const messages: Readonly<Record<string, Buffer>> = {
  '/csi.v1.Identity/Probe': Buffer.alloc(0),
  '/csi.v1.Identity/GetPluginInfo': Buffer.from('\x0a\x0da.example.com'),
  // CREATE_DELETE_VOLUME.
  '/csi.v1.Controller/ControllerGetCapabilities': Buffer.from([0x0a, 4, 0x0a, 2, 0x08, 1]),
};

export function answer(stream: ServerHttp2Stream, message: Buffer): void {
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc' },
    { endStream: false, waitForTrailers: true },
  );
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]));
}

export function refuse(stream: ServerHttp2Stream, status: number): void {
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(status) },
    { endStream: true },
  );
}
