/**
 * A collector reads one kind of fact out of the stream. Fields are read as they come: an event may be of a
 * kind that no table lists.
 */
export type Collector<T> = { add(seq: number, event: ReadEvent): void; view(): T }
export type ReadEvent = { readonly kind: string; readonly [field: string]: unknown }
