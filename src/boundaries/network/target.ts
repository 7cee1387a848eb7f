/**
 * The address of a connection, as used in keys, gaps and rules: `host:port`, or the path of a local socket.
 */
export type Target = {
  readonly scheme: 'http' | 'https'
  readonly name: string
}

export function targetName({ path, host, port }: Readonly<Record<string, unknown>>): string {
  if (typeof path === 'string') return `unix:${path}`
  const name = String(host ?? 'localhost')
  return `${name.includes(':') ? `[${name}]` : name}:${String(port)}`
}
