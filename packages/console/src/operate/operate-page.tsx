import { schema } from '@varve/core'
import { ErrorMessage } from '../components/error-message.tsx'
import { useLoad } from '../components/use-load.ts'
import { control, controlLines } from '../control/control.ts'
import { useConnection } from '../session/use-connection.ts'
import type { Connection } from '../transport/connection.ts'

const status = schema.objectWith<{ storeId: string; layout?: string; seq: number; state: string }>({
  storeId: schema.text(),
  layout: schema.optional(schema.text()),
  seq: schema.integer(),
  state: schema.text(),
})

interface Job {
  readonly name: string
}

const jobShape = schema.objectWith<Job>({ name: schema.text() })

async function loadJobs(connection: Connection, signal: AbortSignal): Promise<readonly Job[]> {
  const jobs: Job[] = []
  for await (const job of controlLines(connection, 'GET', 'jobs', { shape: jobShape, signal })) jobs.push(job)
  return jobs
}

export function OperatePage() {
  const connection = useConnection()
  const loaded = useLoad((signal) => control(connection, 'GET', 'status', { shape: status, signal }), [connection])
  const jobs = useLoad((signal) => loadJobs(connection, signal), [connection])
  return (
    <section class="page">
      <h1>Operate</h1>
      {loaded.state === 'loading' && <p role="status">Loading…</p>}
      {loaded.state === 'failed' && <ErrorMessage error={loaded.error} onRetry={loaded.reload} />}
      {loaded.state === 'ready' && (
        <dl class="facts">
          <dt>State</dt>
          <dd>{loaded.value.state}</dd>
          <dt>Store</dt>
          <dd>{loaded.value.storeId}</dd>
          <dt>Layout</dt>
          <dd>{loaded.value.layout ?? 'in memory'}</dd>
          <dt>Position of the log</dt>
          <dd>{loaded.value.seq}</dd>
          <dt>Jobs</dt>
          <dd>{jobs.state === 'ready' ? jobs.value.map(({ name }) => name).join(', ') : '…'}</dd>
        </dl>
      )}
    </section>
  )
}
