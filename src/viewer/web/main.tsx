import { render } from 'preact'
import './style/tokens.css'
import './style/base.css'

render(<p>hello</p>, document.body)
