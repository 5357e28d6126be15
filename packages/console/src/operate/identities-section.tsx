import { Button } from '../components/button.tsx'
import { dateText, visible } from '../components/formats.ts'
import { useLoad } from '../components/use-load.ts'
import { type IdentityLine, readIdentities } from '../control/operate.ts'
import { useConnection } from '../session/use-connection.ts'
import { ListSection } from './list-section.tsx'

export interface IdentitiesSectionProps {
  /** Takes the id of the identity whose permissions are to be shown. */
  readonly onAsk: (id: string) => void
}

/** Those that were created at run time. What the server got from a file or its variables is in no list. */
export function IdentitiesSection({ onAsk }: IdentitiesSectionProps) {
  const connection = useConnection()
  const loaded = useLoad((signal) => readIdentities(connection, signal), [connection])
  return (
    <ListSection
      id="identities-title"
      title="Identities"
      loaded={loaded}
      empty={
        <>
          None was created at run time. <code>varve identities add NAME --policy FILE</code> creates one. Those of a
          file or of the variables of the server are not listed.
        </>
      }
      columns={['Name', 'Created', 'Access keys', 'Policy', 'May do']}
      keyOf={({ id }) => id}
      cells={(identity) => [
        <>
          {visible(identity.name)}
          {identity.trust !== undefined && <span class="quiet"> (role)</span>}
        </>,
        dateText(new Date(identity.createdAt)),
        identity.accessKeys.map((key) => key.accessKeyId).join(', ') || 'none',
        <Policies {...identity} />,
        <Button onClick={() => onAsk(identity.id)} label={`Permissions of ${visible(identity.name)}`}>
          Permissions
        </Button>,
      ]}
    />
  )
}

function Policies({ policy, trust }: IdentityLine) {
  if (policy === undefined && trust === undefined) return <>none: what buckets give it counts</>
  return (
    <>
      {policy !== undefined && <Document title="Policy" text={policy} />}
      {trust !== undefined && <Document title="Who may assume it" text={trust} />}
    </>
  )
}

function Document({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <details>
      <summary>{title}</summary>
      <pre class="small">{indented(text)}</pre>
    </details>
  )
}

/** The server has read it as JSON before it took it. */
const indented = (text: string): string => JSON.stringify(JSON.parse(text), undefined, 2)
