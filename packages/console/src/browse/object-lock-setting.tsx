import { useEffect, useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { SelectField } from '../components/select-field.tsx'
import { TextField } from '../components/text-field.tsx'
import { useLoad } from '../components/use-load.ts'
import { type DefaultRetention, getObjectLock, putObjectLock } from '../s3/object-lock.ts'
import { useConnection } from '../session/use-connection.ts'
import { SettingCard } from './setting-card.tsx'
import { useSaving } from './use-saving.ts'

const modes = [
  { value: '', label: 'None' },
  { value: 'GOVERNANCE', label: 'Governance: a permission can shorten it' },
  { value: 'COMPLIANCE', label: 'Compliance: it can never be shortened' },
] as const

const units = [
  { value: 'Days', label: 'days' },
  { value: 'Years', label: 'years' },
] as const

export function ObjectLockSetting({ bucket }: { readonly bucket: string }) {
  const connection = useConnection()
  const loaded = useLoad((signal) => getObjectLock(connection, bucket, signal), [connection, bucket])
  const { isBusy, failure, save } = useSaving(loaded.reload)
  return (
    <SettingCard title="Object lock" about="Protects versions from deletion until a time." loaded={loaded}>
      {({ isEnabled, defaultRetention }) => (
        <>
          {isEnabled ? (
            <RetentionForm
              retention={defaultRetention}
              isBusy={isBusy}
              onSave={(retention) => save(() => putObjectLock(connection, bucket, retention))}
            />
          ) : (
            <>
              <p>Off. Once it is on, it cannot be turned off, and versioning stays on.</p>
              <div>
                <Button isBusy={isBusy} onClick={() => save(() => putObjectLock(connection, bucket, undefined))}>
                  Turn on
                </Button>
              </div>
            </>
          )}
          {failure !== undefined && <ErrorMessage error={failure} />}
        </>
      )}
    </SettingCard>
  )
}

interface RetentionFormProps {
  readonly retention: DefaultRetention | undefined
  readonly isBusy: boolean
  readonly onSave: (retention: DefaultRetention | undefined) => void
}

function RetentionForm({ retention, isBusy, onSave }: RetentionFormProps) {
  const [mode, setMode] = useState('')
  const [unit, setUnit] = useState('Days')
  const [count, setCount] = useState('30')
  useEffect(() => {
    setMode(retention?.mode ?? '')
    setUnit(retention?.unit ?? 'Days')
    setCount(String(retention?.count ?? 30))
  }, [retention])
  const isWhole = /^[1-9]\d*$/.test(count)
  const changed = (): DefaultRetention | undefined =>
    mode === 'GOVERNANCE' || mode === 'COMPLIANCE'
      ? { mode, unit: unit === 'Years' ? 'Years' : 'Days', count: Number(count) }
      : undefined
  return (
    <>
      <SelectField label="Retention of new objects" value={mode} onChange={setMode} options={modes} />
      {mode !== '' && (
        <div class="cluster">
          <TextField
            label="For"
            type="number"
            min={1}
            value={count}
            onInput={setCount}
            problem={isWhole ? undefined : 'A whole number from 1.'}
          />
          <SelectField label="Unit" value={unit} onChange={setUnit} options={units} />
        </div>
      )}
      <div>
        <Button isBusy={isBusy} disabled={mode !== '' && !isWhole} onClick={() => onSave(changed())}>
          Save
        </Button>
      </div>
    </>
  )
}
