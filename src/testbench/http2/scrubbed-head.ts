/** The headers that a client sends over HTTP/2, scrubbed: the address of a request is one of them. */
import type { HeaderList } from '../../base/index.ts'
import type { Scrubbed, Scrubber } from '../../scrub/index.ts'

export function scrubbedHead(headers: HeaderList, scrubber: Scrubber): Scrubbed<HeaderList> {
  return headers.map(
    ([name, value]) =>
      [
        scrubber.text(name, 'sent'),
        name === ':path' ? scrubber.url(value) : scrubber.header(name, value, 'sent'),
      ] as const,
  )
}
