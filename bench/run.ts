/**
 * `npm run bench -- tape`: runs bench/tape.ts. Without a name, all of them. Figures are ratios measured in
 * one run.
 */
import { existsSync, readdirSync } from 'node:fs'

const folder = new URL('.', import.meta.url)
const names = process.argv.slice(2)
const known = readdirSync(folder)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts' && file !== 'measure.ts')
  .map((file) => file.replace(/\.ts$/, ''))

for (const name of names.length > 0 ? names : known) {
  const file = new URL(`${name}.ts`, folder)
  if (!existsSync(file)) {
    console.error(`no such benchmark: ${name} (there are: ${known.join(', ')})`)
    process.exitCode = 64
    continue
  }
  console.log(`\n# ${name}`)
  const { bench }: { bench(): Promise<void> } = await import(file.href)
  await bench()
}
