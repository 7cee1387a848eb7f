/**
 * How the page reaches its data: the local server, the files of a bundle, or the parts inside an exported
 * page.
 */
import { type HttpAccess, PART_ATTRIBUTE, type RangeAccess, ViewerProblem } from '../../protocol.ts'
import { fromBase64 } from './content.ts'

export function browserHttp(): HttpAccess {
  return {
    async get(url) {
      const response = await reach(url)
      return { ok: response.ok, status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) }
    },
    listen(url, onMessage, onLost) {
      const events = new EventSource(url)
      events.onmessage = ({ data }) => onMessage(data)
      events.onerror = onLost
      return () => events.close()
    },
  }
}

/**
 * Files next to the page, read in ranges. A host that ignores `Range` sends whole files; they are cut here.
 */
export function bundleRanges(files: string): RangeAccess {
  return {
    async size(name) {
      const response = await reach(`${files}${name}`, { method: 'HEAD' })
      if (response.status === 404) return null
      if (!response.ok) throw refused(name, response.status)
      return Number(response.headers.get('content-length') ?? 0)
    },
    async read(name, from, to) {
      if (to <= from) return new Uint8Array()
      const response = await reach(`${files}${name}`, { headers: { range: `bytes=${from}-${to - 1}` } })
      if (response.status === 416) return new Uint8Array()
      if (!response.ok) throw refused(name, response.status)
      const bytes = new Uint8Array(await response.arrayBuffer())
      return response.status === 206 ? bytes : bytes.subarray(from, to)
    },
  }
}

/** Parts of an exported page: base64 text in elements that a browser does not run. Each is decoded once. */
export function exportedRanges(): RangeAccess {
  const parts = new Map<string, Uint8Array | null>()
  const part = (name: string): Uint8Array | null => {
    const known = parts.get(name)
    if (known !== undefined) return known
    const element = document.querySelector(`script[${PART_ATTRIBUTE}=${JSON.stringify(name)}]`)
    const bytes = element === null ? null : fromBase64(element.textContent ?? '')
    parts.set(name, bytes)
    return bytes
  }
  return {
    size: async (name) => part(name)?.length ?? null,
    read: async (name, from, to) => part(name)?.subarray(from, to) ?? new Uint8Array(),
  }
}

function reach(url: string, request: RequestInit = {}): Promise<Response> {
  return fetch(url, request).catch(() => {
    const hint = 'Run `reprise view` again and open the new address.'
    throw new ViewerProblem({ code: 'connection-lost', message: 'The viewer does not answer.', hint })
  })
}

function refused(name: string, status: number): ViewerProblem {
  return new ViewerProblem({
    code: `http-${status}`,
    message: `The file ${name} of this bundle could not be read.`,
    hint: null,
  })
}
