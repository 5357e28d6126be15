import type { ComponentChildren } from 'preact'
import { ErrorMessage } from '../components/error-message.tsx'
import { useRefused } from '../components/refusals.tsx'
import type { Loaded } from '../components/use-load.ts'

export interface SettingCardProps<T> {
  readonly title: string
  readonly about: string
  readonly loaded: Loaded<T>
  readonly children: (value: T) => ComponentChildren
}

/** A setting with its loading and its errors. */
export function SettingCard<T>({ title, about, loaded, children }: SettingCardProps<T>) {
  if (useRefused(loaded.state === 'failed' ? loaded.error : undefined, title)) return null
  return (
    <section class="card stack tight">
      <h2>{title}</h2>
      <p class="quiet">{about}</p>
      {loaded.state === 'loading' && <p role="status">Loading…</p>}
      {loaded.state === 'failed' && <ErrorMessage error={loaded.error} onRetry={loaded.reload} />}
      {loaded.state === 'ready' && children(loaded.value)}
    </section>
  )
}
