/** Makes the source that the page was served with, and fetches the document that lists what is open. */
import { BOOT_ELEMENT_ID, parseBoot, type ViewerSource } from '../../protocol.ts'
import { createHttpSource } from '../../source/http-source.ts'
import { browserHttp, bundleRanges, exportedRanges } from '../data/access.ts'
import { setSource, source } from '../data/source.ts'
import { followGrowth, viewerDocument } from './viewer.ts'

export async function boot(): Promise<void> {
  setSource(await bootSource())
  viewerDocument.value = await source().document()
  followGrowth()
}

async function bootSource(): Promise<ViewerSource> {
  const start = parseBoot(document.getElementById(BOOT_ELEMENT_ID)?.textContent ?? null)
  switch (start.source) {
    case 'server':
      return createHttpSource(start.api, browserHttp())
    case 'bundle':
      return (await import('../../source/range-source.ts')).createRangeSource(bundleRanges(start.files))
    case 'export':
      return (await import('../../source/range-source.ts')).createRangeSource(exportedRanges())
  }
}
