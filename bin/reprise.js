#!/usr/bin/env node
import { existsSync } from 'node:fs'

const main = new URL('../dist/cli/main.js', import.meta.url)
if (existsSync(main)) {
  const { main: run } = await import(main.href)
  await run(process.argv.slice(2))
} else {
  process.stderr.write('reprise: not built yet [internal]; hint: run "npm run build" in the package folder\n')
  process.exitCode = 125
}
