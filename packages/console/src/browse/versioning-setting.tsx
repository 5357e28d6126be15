import { Button } from '../components/button.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { useLoad } from '../components/use-load.ts'
import { getVersioning, putVersioning, type Versioning } from '../s3/settings.ts'
import { useConnection } from '../session/use-connection.ts'
import { SettingCard } from './setting-card.tsx'
import { useSaving } from './use-saving.ts'

const texts: Readonly<Record<Versioning, string>> = {
  never: 'Off: a new object replaces the one before it.',
  Enabled: 'On: each change keeps the version before it.',
  Suspended: 'Suspended: versions stay, and new objects have none.',
}

export function VersioningSetting({ bucket }: { readonly bucket: string }) {
  const connection = useConnection()
  const versioning = useLoad((signal) => getVersioning(connection, bucket, signal), [connection, bucket])
  const { isBusy, failure, save } = useSaving(versioning.reload)
  return (
    <SettingCard title="Versioning" about="Whether older versions of objects stay." loaded={versioning}>
      {(value) => {
        const next = value === 'Enabled' ? 'Suspended' : 'Enabled'
        return (
          <>
            <p>{texts[value]}</p>
            {failure !== undefined && <ErrorMessage error={failure} />}
            <div>
              <Button isBusy={isBusy} onClick={() => save(() => putVersioning(connection, bucket, next))}>
                {next === 'Enabled' ? 'Turn on' : 'Suspend'}
              </Button>
            </div>
          </>
        )
      }}
    </SettingCard>
  )
}
