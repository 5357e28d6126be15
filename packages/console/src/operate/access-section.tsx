import type { Ref } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { SelectField } from '../components/select-field.tsx'
import { TextField } from '../components/text-field.tsx'
import { explainAccess, type Explanation, type Statement } from '../control/operate.ts'
import { useConnection } from '../session/use-connection.ts'

const actions = [
  ['s3:GetObject', 'read an object'],
  ['s3:PutObject', 'write an object'],
  ['s3:DeleteObject', 'delete an object'],
  ['s3:DeleteObjectVersion', 'delete a version for good'],
  ['s3:ListBucket', 'list a bucket'],
  ['s3:CreateBucket', 'create a bucket'],
  ['s3:DeleteBucket', 'delete a bucket'],
  ['s3:PutBucketPolicy', 'change the policy of a bucket'],
  ['varve:ReadHistory', 'read the past of a bucket'],
  ['s3:BypassGovernanceRetention', 'delete what governance retention protects'],
] as const

const each = 'each of these'

const options = [
  { value: each, label: each },
  ...actions.map(([value, label]) => ({ value, label: `${label} (${value})` })),
]

type Result = { readonly answers: readonly ActionAnswer[] } | { readonly error: unknown }

interface ActionAnswer {
  readonly action: string
  readonly explanation: Explanation
}

export interface AccessSectionProps {
  readonly identity: string
  readonly onIdentity: (id: string) => void
  readonly section: Ref<HTMLElement>
}

/** "May alice delete this, and why not": root asks about any identity. */
export function AccessSection({ identity, onIdentity, section }: AccessSectionProps) {
  const connection = useConnection()
  const [action, setAction] = useState<string>('s3:DeleteObject')
  const [bucket, setBucket] = useState('')
  const [key, setKey] = useState('')
  const [result, setResult] = useState<Result | undefined>(undefined)
  const [isBusy, setIsBusy] = useState(false)
  const ask = async (): Promise<void> => {
    setIsBusy(true)
    const names = action === each ? actions.map(([name]) => name) : [action]
    const found = await Promise.all(
      names.map(async (name) => ({
        action: name,
        explanation: await explainAccess(connection, { identity, action: name, bucket, key }),
      })),
    ).then(
      (answers): Result => ({ answers }),
      (error: unknown): Result => ({ error }),
    )
    setResult(found)
    setIsBusy(false)
  }
  return (
    <section ref={section} class="card operate-section" aria-labelledby="access-title">
      <h2 id="access-title">May they do this?</h2>
      <form
        class="access-form"
        onSubmit={(event) => {
          event.preventDefault()
          void ask()
        }}
      >
        <TextField label="Identity" value={identity} onInput={onIdentity} hint="Its id; empty for anonymous requests" />
        <SelectField label="May" value={action} onChange={setAction} options={options} />
        <TextField label="Bucket" value={bucket} onInput={setBucket} />
        <TextField label="Key" value={key} onInput={setKey} />
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Explain
        </Button>
      </form>
      <div aria-live="polite">
        {result !== undefined && 'error' in result && <ErrorMessage error={result.error} />}
        {result !== undefined && 'answers' in result && <Answers all={result.answers} />}
      </div>
    </section>
  )
}

function Answers({ all }: { readonly all: readonly ActionAnswer[] }) {
  const [only] = all
  if (only !== undefined && all.length === 1) return <Answer {...only.explanation} />
  return (
    <dl class="access-answers">
      {all.map(({ action, explanation }) => (
        <div key={action}>
          <dt>{options.find(({ value }) => value === action)?.label}</dt>
          <dd>
            <Answer {...explanation} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Answer({ allowed, text, statements }: Explanation) {
  return (
    <>
      <p>
        <strong>{allowed ? 'Yes.' : 'No.'}</strong> {text}
      </p>
      {statements.length > 0 && (
        <ul class="small">
          {statements.map((statement) => (
            <li key={`${statement.policy} ${statement.index}`}>{statementText(statement)}</li>
          ))}
        </ul>
      )}
    </>
  )
}

function statementText({ policy, index, sid, effect, holds }: Statement): string {
  const name = sid === undefined ? `Statement ${index + 1}` : `Statement “${sid}”`
  const verb = effect === 'Deny' ? 'denies' : 'allows'
  return `${name} of the policy of the ${policy} ${verb} it${holds ? '' : ', but its conditions do not hold'}.`
}
