import type { ComponentChildren } from 'preact'
import { hasCode, ServerError, Unreachable } from '../transport/failures.ts'
import { Button } from './button.tsx'

/** What went wrong, and what a person can do about it. */
export function ErrorMessage({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { title, advice } = explain(error)
  return (
    <div class="error-message" role="alert">
      <strong>{title}</strong>
      {advice !== undefined && <p>{advice}</p>}
      {error instanceof ServerError && (
        <p class="small quiet">
          {error.code}
          {error.requestId !== undefined && `, request ${error.requestId}`}
        </p>
      )}
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}

interface Explanation {
  readonly title: string
  readonly advice?: ComponentChildren
}

function explain(error: unknown): Explanation {
  if (error instanceof Unreachable) {
    return { title: error.message, advice: 'Check that it runs, and that this machine is online.' }
  }
  if (hasCode(error, 'InvalidAccessKeyId')) return { title: 'The server does not know this access key ID.' }
  if (hasCode(error, 'SignatureDoesNotMatch')) return { title: 'The secret access key is wrong.' }
  if (hasCode(error, 'ExpiredToken')) return { title: 'These temporary credentials have expired.' }
  if (hasCode(error, 'AccessDenied')) {
    return {
      title: 'Your key does not have the permission for this.',
      advice: error.message === 'Access Denied' ? 'Ask an administrator of the server for it.' : error.message,
    }
  }
  return { title: error instanceof Error && error.message !== '' ? error.message : 'Something went wrong.' }
}
