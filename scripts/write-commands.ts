/** Writes docs/commands.md and man/reprise.1 from the table of commands. A test fails when they differ. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { commandsPage, manPage } from './commands-pages.ts'

mkdirSync(new URL('../man', import.meta.url), { recursive: true })
writeFileSync(new URL('../docs/commands.md', import.meta.url), commandsPage())
writeFileSync(new URL('../man/reprise.1', import.meta.url), manPage())
