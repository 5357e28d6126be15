import type { ComponentChildren } from 'preact'
import { dateText, visible } from '../components/formats.ts'
import { useLoad } from '../components/use-load.ts'
import { type Damage, type Job, readDamage, readJobs, readSubscriptions } from '../control/operate.ts'
import { linkTo } from '../router/route.ts'
import { useConnection } from '../session/use-connection.ts'
import { ListSection } from './list-section.tsx'

const timeText = (time: string | undefined): string => (time === undefined ? 'never' : dateText(new Date(time)))

function resultOf({ lease, lastRun, lastError }: Job): string {
  if (lease !== undefined) return `runs since ${timeText(lease.since)}`
  if (lastError !== undefined) return `${lastError.error.message} (${timeText(lastError.at)})`
  return lastRun === undefined ? 'has not run yet' : 'ended without an error'
}

export function JobsSection() {
  const connection = useConnection()
  const loaded = useLoad((signal) => readJobs(connection, signal), [connection])
  return (
    <ListSection
      id="jobs-title"
      title="Jobs"
      loaded={loaded}
      empty="There are no jobs."
      columns={['Job', 'Last run', 'Result']}
      keyOf={({ name }) => name}
      cells={(job) => [job.name, timeText(job.lastRun?.endedAt), resultOf(job)]}
    />
  )
}

function affected({ of }: Damage): ComponentChildren {
  const { bucket, key } = of ?? {}
  if (bucket === undefined) return '–'
  const prefix = key?.slice(0, key.lastIndexOf('/') + 1)
  return <a href={linkTo(['browse', bucket], { prefix })}>{visible(key === undefined ? bucket : `${bucket}/${key}`)}</a>
}

export function DamageSection() {
  const connection = useConnection()
  const loaded = useLoad((signal) => readDamage(connection, signal), [connection])
  return (
    <ListSection
      id="damage-title"
      title="Damage"
      loaded={loaded}
      empty={
        <>
          Scrubbing has found none since the store was opened. <code>varve serve --scrub 10MiB</code> looks for it all
          the time, <code>varve verify</code> once.
        </>
      }
      columns={['Found', 'What', 'Object']}
      keyOf={({ kind, message, foundAt }) => `${kind} ${message} ${foundAt}`}
      cells={(damage) => [timeText(damage.foundAt), `${damage.kind}: ${damage.message}`, affected(damage)]}
    />
  )
}

export function SubscriptionsSection() {
  const connection = useConnection()
  const loaded = useLoad((signal) => readSubscriptions(connection, signal), [connection])
  return (
    <ListSection
      id="subscriptions-title"
      title="Subscriptions"
      loaded={loaded}
      empty="There are no durable subscriptions."
      columns={['Name', 'Position', 'Events behind']}
      keyOf={({ name }) => name}
      cells={({ name, cursor, lag }) => [visible(name), cursor.toLocaleString(), lag.toLocaleString()]}
    />
  )
}
