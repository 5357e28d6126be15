import type { ComponentChildren } from 'preact'

/** A place where nothing is yet, and what to do there. */
export function EmptyState({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty-state">
      <h2>{title}</h2>
      {children}
    </div>
  )
}
