/**
 * How the page finds its source. The HTML of the page holds `BOOT_MARKER` once, in its `<head>`. Server,
 * bundle and export replace it with `<script type="application/json" id="reprise-boot">…</script>`. A page
 * without that element talks to the server at `./`.
 *
 * An export also holds one `<script type="application/octet-stream" data-part="NAME">BASE64</script>` per
 * part, in `<body>`, before the script of the page.
 */
export const BOOT_MARKER = '<!--reprise-boot-->'
export const BOOT_ELEMENT_ID = 'reprise-boot'
export const PART_ATTRIBUTE = 'data-part'

export type Boot =
  /** `api` is relative to the page: `./api/`. */
  | { readonly source: 'server'; readonly api: string }
  /** `files` is relative to the page: `./data/`. */
  | { readonly source: 'bundle'; readonly files: string }
  | { readonly source: 'export' }

export function parseBoot(text: string | null): Boot {
  if (text === null) return { source: 'server', api: './api/' }
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || !('source' in value))
    throw new Error('the boot document names no source')
  if (value.source === 'server' && 'api' in value && typeof value.api === 'string')
    return { source: 'server', api: value.api }
  if (value.source === 'bundle' && 'files' in value && typeof value.files === 'string')
    return { source: 'bundle', files: value.files }
  if (value.source === 'export') return { source: 'export' }
  throw new Error('the boot document names an unknown source')
}
