import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { TextField } from '../components/text-field.tsx'
import { isKeyRefused, session, signIn, signInLater } from './session.ts'

/** The form that asks for an access key. After a refusal it lies above the page, so that the page stays as it is. */
export function SignIn() {
  const [accessKeyId, setAccessKeyId] = useState(session.value?.credentials.accessKeyId ?? '')
  const [secretAccessKey, setSecretAccessKey] = useState('')
  const [sessionToken, setSessionToken] = useState('')
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)

  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => form.current?.querySelector('input')?.focus(), [])

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    setFailure(undefined)
    try {
      const token = sessionToken.trim()
      await signIn({ accessKeyId: accessKeyId.trim(), secretAccessKey, ...(token !== '' && { sessionToken: token }) })
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <main class="sign-in">
      <form ref={form} class="card stack" onSubmit={(event) => void submit(event)} aria-labelledby="sign-in-title">
        <h1 id="sign-in-title">Sign in to Varve</h1>
        <p class="quiet">
          {isKeyRefused.value
            ? 'The server does not accept your key any more. Sign in again to go on where you were.'
            : 'Use an access key of this server. It stays in the memory of this page: a reload forgets it.'}
        </p>
        <TextField
          label="Access key ID"
          value={accessKeyId}
          onInput={setAccessKeyId}
          autocomplete="username"
          required
        />
        <TextField
          label="Secret access key"
          type="password"
          value={secretAccessKey}
          onInput={setSecretAccessKey}
          autocomplete="current-password"
          required
        />
        <details open={sessionToken !== ''}>
          <summary>Temporary credentials</summary>
          <TextField label="Session token" value={sessionToken} onInput={setSessionToken} autocomplete="off" />
        </details>
        {failure !== undefined && <ErrorMessage error={failure} />}
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Sign in
        </Button>
        {isKeyRefused.value && <Button onClick={signInLater}>Not now</Button>}
        <p class="quiet small">
          <code>varve serve</code> prints the root key at its first start. Later it is in the file{' '}
          <code>root-credentials.json</code> of the store.
        </p>
      </form>
    </main>
  )
}
