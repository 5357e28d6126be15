import { useState } from 'preact/hooks'
import { FormDialog } from '../components/form-dialog.tsx'
import { type Pair, PairsField } from '../components/pairs-field.tsx'
import { TextField } from '../components/text-field.tsx'
import type { ObjectReference } from '../s3/object-reference.ts'
import { contentHeaders, copyObject, type ObjectFacts } from '../s3/objects.ts'
import { useConnection } from '../session/use-connection.ts'
import { problemOfHeaders, problemOfMetadata } from './metadata-rules.ts'

export interface MetadataDialogProps {
  readonly object: ObjectReference
  readonly facts: ObjectFacts
  readonly onClose: () => void
  readonly onChanged: () => void
}

const labels: Readonly<Record<(typeof contentHeaders)[number], string>> = {
  'content-type': 'Content type',
  'cache-control': 'Cache control',
  'content-disposition': 'Content disposition',
  'content-encoding': 'Content encoding',
  'content-language': 'Content language',
}

/** Metadata belongs to a version, so a change copies the object onto itself: no byte moves. */
export function MetadataDialog({ object, facts, onClose, onChanged }: MetadataDialogProps) {
  const connection = useConnection()
  const [headers, setHeaders] = useState<Readonly<Record<string, string>>>(facts.headers)
  const [metadata, setMetadata] = useState<readonly Pair[]>(
    Object.entries(facts.metadata).map(([name, value]) => ({ name, value })),
  )
  const problem = problemOfHeaders(headers) ?? problemOfMetadata(metadata)
  return (
    <FormDialog
      title="Change metadata"
      action="Save"
      isValid={problem === undefined}
      onClose={onClose}
      onSubmit={async (signal) => {
        const given = Object.entries(headers).filter(([, value]) => value.trim() !== '')
        await copyObject(connection, {
          source: object,
          sourceETag: facts.etag,
          target: object,
          signal,
          replace: {
            headers: Object.fromEntries(given),
            metadata: Object.fromEntries(metadata.map(({ name, value }) => [name.toLowerCase(), value])),
          },
        })
        onChanged()
      }}
    >
      <p class="quiet">The bytes stay as they are. In a bucket with versioning, the change is a new version.</p>
      {contentHeaders.map((name) => (
        <TextField
          key={name}
          label={labels[name]}
          value={headers[name] ?? ''}
          onInput={(value) => setHeaders({ ...headers, [name]: value })}
        />
      ))}
      <PairsField legend="Your metadata" pairs={metadata} onChange={setMetadata} problem={problem} />
    </FormDialog>
  )
}
