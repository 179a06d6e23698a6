import type { AdmissionRequest } from '../../resource/admission-request.ts';
import { nameOf } from '../matching/subject-names.ts';

/** What refusals call the object: by its name, or by what is known of it before it has one. */
export function subjectName(request: AdmissionRequest): string {
  const { name, generateName } = request.object?.metadata ?? {};
  return nameOf(request) || name || generateName || 'Unknown';
}
