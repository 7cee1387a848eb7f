/** Writes docs/api from the declaration files in `dist`; build first. A test fails when they differ. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { apiPages } from './api-pages.ts'

const folder = fileURLToPath(new URL('../docs/api/', import.meta.url))
mkdirSync(folder, { recursive: true })
const pages = apiPages()
for (const file of readdirSync(folder))
  if (!pages.some((page) => page.file === file)) rmSync(`${folder}${file}`)
for (const { file, text } of pages) writeFileSync(`${folder}${file}`, text)
