/** Starts the page: theme, keys, address, then the source and the first view. */
import { render } from 'preact'
import { App } from './app.tsx'
import { problemFrom } from './data/problem.ts'
import { boot } from './model/boot.ts'
import { helpOpen } from './model/help.ts'
import { listenForKeys, onKeys } from './model/keys.ts'
import { followAddress } from './model/location.ts'
import { pressPlay } from './model/play-key.ts'
import { startTheme } from './model/theme.ts'
import { Loading, ProblemNote } from './parts/states.tsx'
import './style/index.css'

const app = document.getElementById('app') ?? document.body
startTheme()
followAddress()
listenForKeys()
onKeys({
  '?': () => {
    helpOpen.value = true
  },
  '/': () => document.getElementById('search')?.focus(),
  ' ': () => {
    pressPlay()
  },
})
render(<Loading what="the viewer" />, app)
boot().then(
  () => render(<App />, app),
  (error: unknown) => render(<ProblemNote problem={problemFrom(error)} />, app),
)
