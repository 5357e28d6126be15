import { render } from 'preact'
import { App } from './app/app.tsx'
import { keepFocus } from './app/keep-focus.ts'
import { catchDrops } from './browse/window-drops.ts'
import { startRouter } from './router/router.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/components.css'
import './styles/frame.css'
import './styles/time.css'
import './styles/browse.css'
import './styles/operate.css'
import './styles/work.css'

startRouter()
keepFocus()
catchDrops()
const place = document.querySelector('#app')
if (place !== null) render(<App />, place)
