import { combineKeys, isEmpty, keysFromEnvironment, type KeyMaterial } from './key-material.ts'
import { loadKeyringFile } from './keyring-file.ts'

/** From the environment and the file, whose keys come behind. @throws StorageError `InvalidArgument` */
export async function configuredKeys(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<KeyMaterial | undefined> {
  const fromFile = file === undefined ? [] : [await loadKeyringFile(file)]
  const material = combineKeys(keysFromEnvironment(env), ...fromFile)
  return isEmpty(material) ? undefined : material
}
