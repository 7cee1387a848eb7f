/**
 * The Nodes of test/nodes each bring a program called `node`, and npm links one of them where every npm
 * script would find it before the real one. Runs after `npm ci` and takes that link away; the tests name
 * those Nodes by their own folders.
 */
import { rmSync } from 'node:fs'

rmSync(new URL('../node_modules/.bin/node', import.meta.url), { force: true })
