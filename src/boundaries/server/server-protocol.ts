/** Which protocol a server of the program has, from its kind: `node:http`, `node:https`, `node:http2`, or any other. */

export function schemeOf(server: object, tls: boolean): string {
  if (isHttp2(server)) return tls ? 'https' : 'http'
  if (isHttp(server)) return tls ? 'https' : 'http'
  return tls ? 'tls' : 'tcp'
}

/** Whether Node rejects the preface of HTTP/2 there. A server of `node:net` may pass its sockets on to one of HTTP/2. */
export function rejectsHttp2(server: object): boolean {
  return isHttp(server) && !isHttp2(server)
}

function isHttp(server: object): boolean {
  return 'headersTimeout' in server
}

function isHttp2(server: object): boolean {
  return server.constructor.name.startsWith('Http2')
}
