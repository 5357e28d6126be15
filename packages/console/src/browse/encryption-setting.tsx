import { useEffect, useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { SelectField } from '../components/select-field.tsx'
import { TextField } from '../components/text-field.tsx'
import { useLoad } from '../components/use-load.ts'
import { deleteDocument, getEncryption, putEncryption } from '../s3/settings.ts'
import { useConnection } from '../session/use-connection.ts'
import { SettingCard } from './setting-card.tsx'
import { useSaving } from './use-saving.ts'

const algorithms = [
  { value: '', label: 'None' },
  { value: 'AES256', label: 'A key of the store (AES256)' },
  { value: 'aws:kms', label: 'A named key of the keyring (aws:kms)' },
] as const

/** How new objects are encrypted. */
export function EncryptionSetting({ bucket }: { readonly bucket: string }) {
  const connection = useConnection()
  const loaded = useLoad((signal) => getEncryption(connection, bucket, signal), [connection, bucket])
  const [algorithm, setAlgorithm] = useState('')
  const [keyId, setKeyId] = useState('')
  const { isBusy, failure, save } = useSaving(loaded.reload)
  const current = loaded.state === 'ready' ? loaded.value : undefined
  useEffect(() => {
    setAlgorithm(current?.algorithm ?? '')
    setKeyId(current?.keyId ?? '')
  }, [current])
  const store = async (): Promise<void> => {
    if (algorithm === '') return deleteDocument(connection, { bucket, kind: 'encryption' })
    const named = algorithm === 'aws:kms' && keyId !== '' ? keyId : undefined
    return putEncryption(connection, bucket, { algorithm, keyId: named })
  }
  const isChanged = algorithm !== (current?.algorithm ?? '') || keyId !== (current?.keyId ?? '')
  return (
    <SettingCard
      title="Encryption"
      about="How new objects are encrypted. Objects that are there stay as they are."
      loaded={loaded}
    >
      {() => (
        <>
          <SelectField label="Key" value={algorithm} onChange={setAlgorithm} options={algorithms} />
          {algorithm === 'aws:kms' && (
            <TextField
              label="Name of the key"
              value={keyId}
              onInput={setKeyId}
              hint="Without a name, the default key of the keyring."
            />
          )}
          {failure !== undefined && <ErrorMessage error={failure} />}
          <div>
            <Button isBusy={isBusy} disabled={!isChanged} onClick={() => save(store)}>
              Save
            </Button>
          </div>
        </>
      )}
    </SettingCard>
  )
}
