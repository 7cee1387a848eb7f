#!/usr/bin/env node
const { existsSync } = require('node:fs')
const { join } = require('node:path')

const folder = join(__dirname, '../dist/cli')
if (existsSync(join(folder, 'cli.cjs'))) {
  require(join(folder, 'start.cjs')).start(join(folder, 'cli.cjs'), join(folder, 'run.cjs'))
} else {
  process.stderr.write('reprise: not built yet [internal]; hint: run "npm run build" in the package folder\n')
  process.exitCode = 125
}
