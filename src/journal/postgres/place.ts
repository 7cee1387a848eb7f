/** A journal in a database, as one text: `postgres://…#session`. */
export function isDatabase(path: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(path)
}

/** The URL without the session, and the session; null if the URL names none. */
export function databaseParts(path: string): { readonly url: string; readonly session: string | null } {
  const at = path.indexOf('#')
  return at < 0
    ? { url: path, session: null }
    : { url: path.slice(0, at), session: decodeURIComponent(path.slice(at + 1)) || null }
}
