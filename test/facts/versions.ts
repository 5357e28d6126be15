import { type Chapter, clients, core, recorded, shownBy } from './fact.ts'

export const versioning: Chapter = {
  title: 'Versioning state and the null version',
  facts: [
    ...shownBy(recorded('versions'), [
      [
        'a Status of enabled or Disabled is MalformedXML, a missing one IllegalVersioningConfigurationException',
        'recorded: bucket_versioning_crud',
        'a Status in lower case, or Disabled, is malformed; a configuration without one is illegal',
      ],
      [
        'a missing bucket is NoSuchBucket, with its name',
        'recorded: bucket_versioning_crud',
        'a bucket that is not there has no versioning to read or set, and is named',
      ],
      [
        'a PUT to a suspended bucket returns no version id, and a GET of the object returns null',
        'recorded: put_object_on_suspended_bucket',
        'a write to a suspended bucket names no version, and what it wrote is read as version null',
      ],
      [
        'a copy in a suspended bucket returns version id null',
        'recorded: s3_copy_object_in_place_suspended_only',
        'a copy in a suspended bucket names version null',
      ],
      [
        'deletes in a suspended bucket leave exactly one delete marker, with version id null',
        'recorded: delete_object_on_suspended_bucket',
        'deletes in a suspended bucket leave one marker null, however many they are',
      ],
      [
        'a PUT that fails does not remove the null marker it would have replaced',
        'seen elsewhere: seaweedfs#10589',
        'a write that fails leaves the marker null where it was',
      ],
      [
        'a DELETE without an id never removes version null where versioning is enabled',
        'seen elsewhere: cloudserver#719, verified against AWS',
        'deletes with versioning never remove version null',
      ],
      [
        'the versioning state counts when an upload is completed, not when it begins',
        'seen elsewhere: seaweedfs#10583',
        'an upload is a version or not by the state of its bucket when it is completed',
      ],
      [
        'without versioning ?versionId=null works and shows no id; any other is “Invalid version id specified”',
        'recorded: get_object_with_version_unversioned_bucket',
        'without versioning the only id is null, and no answer names it',
      ],
    ]),
    ...shownBy(clients('aws-versions'), [
      [
        'an object from before versioning keeps the id null, is listed, and is current again when newer versions are removed',
        'seen elsewhere: ministack#1436',
        'what was written before versioning keeps the id null, and comes back when newer ones go',
      ],
    ]),
    ...shownBy(core('decide/decide'), [
      [
        'a PUT to a suspended bucket replaces version null, whether an object or a marker, in one event',
        'recorded: put_object_on_suspended_bucket',
        'replaces the null version where versioning is suspended, be it an object or a marker',
      ],
      [
        'a DELETE in a suspended bucket replaces version null by a marker in one event: every reader sees one of the two',
        'seen elsewhere: seaweedfs#9845, storj#5473',
        'removes the null version and adds a null marker where versioning is suspended',
      ],
    ]),
    ...shownBy(clients('aws-objects'), [
      [
        'readers of a key that is overwritten get the old or the new object, whole',
        'seen elsewhere: storj#5473',
        'a reader of an object that is overwritten gets the old or the new one, whole',
      ],
    ]),
    ...shownBy(clients('aws-object-lock'), [
      [
        'versioning of a bucket with Object Lock cannot be suspended: 409 InvalidBucketState',
        'recorded: disable_versioning_on_locked_bucket',
        'a bucket created with it has versioning, which cannot be suspended',
      ],
    ]),
  ],
}

export const markers: Chapter = {
  title: 'Reading and deleting versions and markers',
  facts: [
    ...shownBy(recorded('versions'), [
      [
        'a GET of a key whose marker is current: 404 NoSuchKey, x-amz-delete-marker and the marker’s id',
        'recorded: delete_object_versioned',
        'behind a marker there is NoSuchKey, which names the key and the marker',
      ],
      [
        'a GET of a marker by its id: 405 MethodNotAllowed, ResourceType DeleteMarker, x-amz-delete-marker, Last-Modified',
        'recorded: delete_object_versioned; seen elsewhere: moto#6837',
        'a marker by its id is 405 with its headers, GET and HEAD',
      ],
      [
        'an unknown version id is 404 NoSuchVersion, a malformed one 400 InvalidArgument',
        'recorded: delete_object_versioned',
        'an id that is gone or another’s is NoSuchVersion; one that is none is InvalidArgument',
      ],
      [
        'DELETE of a well-formed unknown version id is 204 and echoes it',
        'seen elsewhere: versitygw, deleting versions that do not exist',
        'deleting an id that is not there succeeds and echoes it',
      ],
      [
        'DELETE of an absent key is 204; with versioning it adds a marker each time',
        'recorded: delete_object_versioned',
        'deleting an absent key names no version without versioning, and adds a marker each time with it',
      ],
      [
        'DELETE of a marker by id reports the marker and restores what it hid; DELETE of a version has its id and no marker header (aws)',
        'recorded: delete_object_versioned',
        'removing a marker is reported and restores what it hid; removing a version names it',
      ],
      [
        'tags, retention and legal hold of a marker by its id are 405',
        'recorded: object_lock_delete_markers',
        'the ${subresource} of a marker is 405 by its id',
      ],
      [
        'the ACL of a marker is 405, but NoSuchKey for a GET without a version id',
        'recorded: put_object_acl_on_delete_marker',
        'it cannot be set, and is read of no key, or of no marker by its id',
      ],
      [
        'DeleteBucket counts versions and markers: “You must delete all versions in the bucket.”',
        'recorded: delete_versioned_bucket_with_objects',
        'a bucket with versions or markers is refused as not empty',
      ],
      [
        'DeleteObject takes If-Match; x-amz-if-match-size and -last-modified-time are 501 with the name of the header',
        'recorded: delete_object_if_match_non_express and its kin',
        'a delete has If-Match; by size and by time it is not implemented, which names the header',
      ],
    ]),
    ...shownBy(recorded('requests'), [
      [
        'in DeleteObjects a malformed version id is NoSuchVersion of its key',
        'recorded: delete_objects, delete_objects_versioned',
        'a malformed id and one of another key are NoSuchVersion of their key',
      ],
    ]),
    ...shownBy(clients('aws-tags'), [
      [
        'setting and reading tags of a current marker is 405',
        'recorded: object_tagging_versioned',
        'a delete marker has no tags',
      ],
    ]),
    ...shownBy(core('api/annotations'), [
      [
        'annotating a version that does not exist is NoSuchVersion',
        'seen elsewhere: ministack#1483',
        'is refused where there is no version to annotate',
      ],
    ]),
    ...shownBy(clients('aws-object-lock'), [
      [
        'removing a locked version is 403, “Access Denied because object protected by object lock.”; a marker may be added',
        'recorded: s3_object_retention_compliance_mode',
        'GOVERNANCE protects a version from every delete without a bypass',
      ],
      [
        'COMPLIANCE is neither shortened nor weakened',
        'recorded: s3_object_retention_compliance_mode',
        'a retention can always be extended, and shortened only as its mode allows',
      ],
      [
        'x-amz-bypass-governance-retention in a bucket without Object Lock is InvalidArgument',
        'recorded: delete_object_with_no_locking',
        'no other bucket can lock anything, until it keeps versions',
      ],
    ]),
  ],
}
