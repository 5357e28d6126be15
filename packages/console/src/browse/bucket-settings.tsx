import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { useLoad } from '../components/use-load.ts'
import { getBucketTags, putBucketTags } from '../s3/settings.ts'
import { useConnection } from '../session/use-connection.ts'
import { navigate } from '../router/router.ts'
import { DeleteBucketDialog } from './delete-bucket-dialog.tsx'
import { DocumentSetting } from './document-setting.tsx'
import { EncryptionSetting } from './encryption-setting.tsx'
import { ObjectLockSetting } from './object-lock-setting.tsx'
import { SettingCard } from './setting-card.tsx'
import { TagsDialog } from './tags-section.tsx'
import { VersioningSetting } from './versioning-setting.tsx'

/** Each setting is loaded and saved by itself, so that one refusal does not hide the others. */
export function BucketSettings({ bucket }: { readonly bucket: string }) {
  const [isDeleting, setDeleting] = useState(false)
  return (
    <div class="settings">
      <VersioningSetting bucket={bucket} />
      <ObjectLockSetting bucket={bucket} />
      <EncryptionSetting bucket={bucket} />
      <TagsSetting bucket={bucket} />
      <DocumentSetting bucket={bucket} kind="lifecycle" />
      <DocumentSetting bucket={bucket} kind="cors" />
      <DocumentSetting bucket={bucket} kind="policy" />
      <section class="card stack tight">
        <h2>Delete the bucket</h2>
        <p class="quiet">Only an empty bucket can be deleted.</p>
        <div>
          <Button kind="danger" onClick={() => setDeleting(true)}>
            Delete the bucket
          </Button>
        </div>
      </section>
      {isDeleting && (
        <DeleteBucketDialog bucket={bucket} onClose={() => setDeleting(false)} onDeleted={() => navigate([])} />
      )}
    </div>
  )
}

/** S3 allows 50 tags for a bucket. */
const tagsMax = 50

function TagsSetting({ bucket }: { readonly bucket: string }) {
  const connection = useConnection()
  const tags = useLoad((signal) => getBucketTags(connection, bucket, signal), [connection, bucket])
  const [isEditing, setEditing] = useState(false)
  return (
    <SettingCard title="Tags" about="Names and values of your own, for example to group costs." loaded={tags}>
      {(value) => (
        <>
          {value.length > 0 && (
            <ul class="chips">
              {value.map((tag) => (
                <li key={tag.name}>
                  {tag.name}: {tag.value}
                </li>
              ))}
            </ul>
          )}
          <div>
            <Button onClick={() => setEditing(true)}>Change…</Button>
          </div>
          {isEditing && (
            <TagsDialog
              tags={value}
              max={tagsMax}
              onClose={() => setEditing(false)}
              onSave={async (changed) => {
                await putBucketTags(connection, bucket, changed)
                tags.reload()
              }}
            />
          )}
        </>
      )}
    </SettingCard>
  )
}
