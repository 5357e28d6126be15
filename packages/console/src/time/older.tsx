import { Button } from '../components/button.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import type { Pages } from '../components/use-pages.ts'

/** The end of a list of the log: a way to load older rows, as long as there may be some. */
export function Older({ pages, loading }: { readonly pages: Omit<Pages<unknown>, 'rows'>; readonly loading: string }) {
  if (pages.error !== undefined) return <ErrorMessage error={pages.error} onRetry={pages.retry} />
  if (pages.isLoading) return <p role="status">{loading}</p>
  return pages.isComplete ? null : <Button onClick={pages.loadMore}>Show older</Button>
}
