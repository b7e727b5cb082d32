const der =
  'MIGXMEsCAQAwGDEKMAgGA1UECgwBbzEKMAgGA1UEAwwBYTAqMAUGAytlcAMhANf71kMsBS17sR2xkTnpgKxg03873jCeSt2Ry3w9a/45oAAwBQYDK2VwA0EA05KI+5MXeX/m72UDYKwbj+vcym2Kby4C6k2g2BPpTZ8vaYeZaviBITkR+XLNKPHsQF4bnh59452F2anX1n50Bg==';

/** A request for a certificate, signed by its own key, as signing requests have it. */
export const signingRequest = Buffer.from(
  `-----BEGIN CERTIFICATE REQUEST-----\n${der}\n-----END CERTIFICATE REQUEST-----\n`,
).toString('base64');
