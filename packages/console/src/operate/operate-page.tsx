import { useRef, useState } from 'preact/hooks'
import { ErrorMessage } from '../components/error-message.tsx'
import { Refusals, useRefused } from '../components/refusals.tsx'
import { useLoad } from '../components/use-load.ts'
import { readStatus } from '../control/operate.ts'
import { isRoot } from '../session/session.ts'
import { useConnection } from '../session/use-connection.ts'
import { AccessSection } from './access-section.tsx'
import { DamageSection, JobsSection, SubscriptionsSection } from './health-sections.tsx'
import { IdentitiesSection } from './identities-section.tsx'
import { RequestsSection } from './requests-section.tsx'
import { UsageSection } from './usage-section.tsx'

export function OperatePage() {
  return (
    <section class="page">
      <h1>Operate</h1>
      <Refusals>
        <Sections />
      </Refusals>
    </section>
  )
}

function Sections() {
  const connection = useConnection()
  const loaded = useLoad((signal) => readStatus(connection, signal), [connection])
  const [identity, setIdentity] = useState('')
  const access = useRef<HTMLElement>(null)
  const askAbout = (id: string): void => {
    setIdentity(id)
    access.current?.scrollIntoView()
    access.current?.querySelector('select')?.focus()
  }
  const isRefused = useRefused(loaded.state === 'failed' ? loaded.error : undefined, 'the state of the store')
  return (
    <>
      {loaded.state === 'loading' && <p role="status">Loading…</p>}
      {loaded.state === 'failed' && !isRefused && <ErrorMessage error={loaded.error} onRetry={loaded.reload} />}
      {loaded.state === 'ready' && (
        <p class="quiet">
          The store is {loaded.value.state}, at event {loaded.value.seq.toLocaleString()}
          {loaded.value.layout !== undefined && `, with the layout ${loaded.value.layout}`}.
        </p>
      )}
      <UsageSection />
      <RequestsSection />
      <JobsSection />
      <DamageSection />
      <SubscriptionsSection />
      <IdentitiesSection onAsk={askAbout} />
      {isRoot.value && <AccessSection identity={identity} onIdentity={setIdentity} section={access} />}
    </>
  )
}
