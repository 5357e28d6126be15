/** The operations on bucket settings, by kind. */
import type { BucketRow } from '../contract/operation.ts'
import { acceleration } from './acceleration.ts'
import { cors } from './cors.ts'
import { encryption } from './encryption.ts'
import { lifecycle } from './lifecycle.ts'
import { objectLock } from './object-lock.ts'
import { logging } from './logging.ts'
import { notifications } from './notifications.ts'
import { ownership } from './ownership.ts'
import { policy } from './policy.ts'
import { publicAccessBlock } from './public-access-block.ts'
import { requestPayment } from './request-payment.ts'
import { settingRows } from './setting-rows.ts'
import { tagging } from './tagging.ts'
import { website } from './website.ts'

export const bucketSettingRows: readonly BucketRow[] = [
  ...settingRows(acceleration),
  ...settingRows(cors),
  ...settingRows(encryption),
  ...settingRows(lifecycle),
  ...settingRows(objectLock),
  ...settingRows(logging),
  ...settingRows(notifications),
  ...settingRows(ownership),
  ...settingRows(policy),
  ...settingRows(publicAccessBlock),
  ...settingRows(requestPayment),
  ...settingRows(tagging),
  ...settingRows(website),
]
