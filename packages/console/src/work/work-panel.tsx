import { useEffect } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { session } from '../session/session.ts'
import { findTasks } from './follow-task.ts'
import { needsPage, stopWork, type Work, works } from './works.ts'

/** The long work that goes on, on every page. */
export function WorkPanel() {
  const connection = session.value
  useEffect(() => {
    // A key that may not list tasks sees only those that it begins here.
    if (connection !== undefined) void findTasks(connection).catch(() => undefined)
  }, [connection])
  useEffect(() => {
    if (!needsPage.value) return
    // The browser asks before it leaves the page, because leaving would stop the work.
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [needsPage.value])
  if (works.value.length === 0) return null
  return (
    <aside class="work-panel" aria-label="Work in progress">
      <ul>
        {works.value.map((work) => (
          <WorkRow key={work.id} work={work} />
        ))}
      </ul>
    </aside>
  )
}

function WorkRow({ work: { id, title, text, share, isStopping, needsPage: needs } }: { readonly work: Work }) {
  return (
    <li>
      <div class="cluster">
        <span class="grow">
          <strong>{title}</strong>
          <span class="small quiet work-text" role="status">
            {isStopping ? 'Stopping…' : text}
          </span>
        </span>
        <Button kind="danger" label={`Stop: ${title}`} disabled={isStopping} onClick={() => stopWork(id)}>
          Stop
        </Button>
      </div>
      <progress {...(share !== undefined && { value: share })} max={1} aria-label={title} />
      <p class="small quiet">
        {needs ? 'Keep this page open until it ends.' : 'The server does this. It goes on if you close the page.'}
      </p>
    </li>
  )
}
