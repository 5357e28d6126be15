import { useEffect, useRef } from 'preact/hooks'
import { dismissAll, Toasts } from '../components/toasts.tsx'
import { linkTo } from '../router/route.ts'
import { route } from '../router/router.ts'
import { isKeyRefused, session, signedInAs, signInLater, signOut } from '../session/session.ts'
import { SignIn } from '../session/sign-in.tsx'
import { isReachable } from '../transport/reachability.ts'
import { Button } from '../components/button.tsx'
import { UploadPanel } from '../uploads/upload-panel.tsx'
import { WorkPanel } from '../work/work-panel.tsx'
import { pages } from './pages.tsx'
import { switchTheme, theme } from './theme.ts'

export function App() {
  const isSignedIn = session.value !== undefined
  useEffect(dismissAll, [signedInAs.value])
  return (
    <>
      <div aria-live="assertive">
        {!isReachable.value && (
          <p class="banner">
            The server does not answer. The console tries again every two seconds, and goes on by itself.
          </p>
        )}
      </div>
      {isSignedIn && (
        <div class="frame">
          <Frame />
        </div>
      )}
      {!isSignedIn && <SignIn />}
      {isSignedIn && isKeyRefused.value && <SignInAgain />}
      <div class="dock">
        {isSignedIn && (
          <div class="panels">
            <WorkPanel />
            <UploadPanel />
          </div>
        )}
        <Toasts />
      </div>
    </>
  )
}

/** Lies above the page and its dialogs, which stay as they are. */
function SignInAgain() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="sign-in-again" aria-labelledby="sign-in-title" data-returns-focus onClose={signInLater}>
      <SignIn />
    </dialog>
  )
}

function Frame() {
  const [name = 'browse'] = route.value.path
  const page = pages.find((one) => one.name === name) ?? pages[0]
  return (
    <>
      <a class="skip" href="#content" onClick={focusContent}>
        Skip to the content
      </a>
      <header class="top-bar">
        <a class="brand" href={linkTo([])}>
          Varve
        </a>
        <nav aria-label="Pages">
          {pages.map((one) => (
            <a key={one.name} href={linkTo([one.name])} aria-current={one === page ? 'page' : undefined}>
              {one.title}
            </a>
          ))}
        </nav>
        <span class="grow" />
        <Button kind="quiet" onClick={switchTheme}>
          Theme: {theme.value}
        </Button>
        <span class="identity" title="Access key ID">
          {session.value?.credentials.accessKeyId}
        </span>
        <Button kind="quiet" onClick={signOut}>
          Sign out
        </Button>
      </header>
      <main id="content" tabIndex={-1}>
        {page !== undefined && <page.Content route={route.value} />}
      </main>
    </>
  )
}

/** The fragment holds the route, so the link itself must not change it. */
function focusContent(event: Event): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#content')?.focus()
}
