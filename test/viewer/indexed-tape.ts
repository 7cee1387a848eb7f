/** Opens a tape for a test the way the server does. */
import { onTestFinished } from 'vitest'
import { openDiskFiles } from '../../src/viewer/index/disk-files.ts'
import { openTapeIndex } from '../../src/viewer/index/index-folder.ts'
import type { IndexMetadata } from '../../src/viewer/layout/metadata.ts'
import { createTapeView, type TapeView } from '../../src/viewer/source/tape-view.ts'

export async function openTapeView(
  path: string,
): Promise<{ view: TapeView; metadata: IndexMetadata; folder: string }> {
  const { folder, metadata } = await openTapeIndex(path)
  const files = openDiskFiles(path, folder)
  onTestFinished(() => files.close())
  return { view: createTapeView(files, metadata, () => null), metadata, folder }
}
