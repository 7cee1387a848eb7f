/** Serves a viewer until Ctrl-C: what `reprise view` and `reprise replay --view` share. */
import type { OpenViewer } from '../viewer/items/open-viewer.ts'
import type { CommandInput } from './command.ts'

export async function serveUntilEnded(
  viewer: OpenViewer,
  input: CommandInput,
  announce: (url: string) => void,
): Promise<void> {
  const { serveViewer } = await import('../viewer/server/serve.ts')
  const { builtPageFolder, readPage } = await import('../viewer/server/page-files.ts')
  const { onTermination, stdoutIsTerminal } = await import('../real/terminal-io.ts')
  const server = await serveViewer(viewer.source, readPage(builtPageFolder()))
  try {
    const ended = new Promise<void>((resolve) => {
      const watch = onTermination(() => {
        watch[Symbol.dispose]()
        resolve()
      })
    })
    announce(server.url)
    if (stdoutIsTerminal()) {
      input.output.note('Ctrl-C ends the viewer')
      if (input.options.open !== false) (await import('../real/open-browser.ts')).openBrowser(server.url)
    }
    await ended
  } finally {
    await server.close()
  }
}
