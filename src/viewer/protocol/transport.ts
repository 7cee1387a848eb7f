/**
 * What the page gives to a source so that it can reach its data. The page implements these three with
 * `fetch`, `EventSource` and the elements of an exported page; the sources in `../source/` do the rest.
 *
 * On the server every method of `ViewerSource` is `GET <api><method>?p=<JSON array of its arguments>`. The
 * answer is JSON, or bytes for `payload` and `cassetteOutput`. A problem is a status of 400 or more with the
 * JSON of a `ProblemDocument`. `GET <api>follow` is a stream of server-sent events, each `data:` the JSON of
 * a `FollowEvent`.
 */
export type ProblemDocument = {
  readonly code: string
  readonly message: string
  readonly hint: string | null
}

export type HttpAnswer = { readonly ok: boolean; readonly status: number; readonly bytes: Uint8Array }

export type HttpAccess = {
  /** Rejects if the server cannot be reached. */
  get(url: string): Promise<HttpAnswer>
  /**
   * Calls `onMessage` with the data of each server-sent event and `onLost` when the connection fails; returns
   * the function that ends it.
   */
  listen(url: string, onMessage: (data: string) => void, onLost: () => void): () => void
}

/** Files of a bundle (HTTP range requests) or parts of an export (text in the page). */
export type RangeAccess = {
  /** Null if there is no such file. */
  size(name: string): Promise<number | null>
  /** Bytes `from` (inclusive) to `to` (exclusive), cut at the end of the file. */
  read(name: string, from: number, to: number): Promise<Uint8Array>
}

export class ViewerProblem extends Error {
  readonly code: string
  readonly hint: string | null

  constructor({ code, message, hint }: ProblemDocument) {
    super(message)
    this.name = 'ViewerProblem'
    this.code = code
    this.hint = hint
  }
}
