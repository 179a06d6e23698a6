import { duplicate, type FieldError, type FieldPath, required } from '@pintle/machinery/errors';
import { validatePortName, validatePortNumber } from '@pintle/machinery/names';
import type { Container, ContainerPort } from '../../../../../generated/core/v1.ts';
import type { IntOrString } from '../../../../../generated/meta/v1.ts';
import { checkChoice, eachItem, isEmpty, problems } from '../../../checks.ts';

const protocols = ['SCTP', 'TCP', 'UDP'];

export function validateContainerPorts(ports: readonly ContainerPort[] | undefined, path: FieldPath): FieldError[] {
  const names = new Set<string>();
  return eachItem(ports, path, (port, at) => [
    ...validateName(port.name, names, at.child('name')),
    ...validateNumber(port.containerPort, at.child('containerPort')),
    ...(port.hostPort ? problems(at.child('hostPort'), port.hostPort, validatePortNumber(port.hostPort)) : []),
    ...checkChoice(at.child('protocol'), port.protocol, protocols),
  ]);
}

/** Containers of one Pod share the host's ports. */
export function validateHostPorts(containers: readonly Container[], path: FieldPath): FieldError[] {
  const taken = new Set<string>();
  return eachItem(containers, path, (container, at) =>
    eachItem(container.ports, at.child('ports'), ({ hostPort, hostIP = '', protocol = '' }, portPath) => {
      const claim = `${protocol}/${hostIP}/${hostPort}`;
      if (!hostPort) return [];
      if (taken.has(claim)) return [duplicate(portPath.child('hostPort'), claim)];
      taken.add(claim);
      return [];
    }),
  );
}

/** Checks a port of a probe or hook: its number, or the name of a container's port. */
export function validatePortReference(port: IntOrString | undefined, path: FieldPath): FieldError[] {
  if (typeof port === 'string') return problems(path, port, validatePortName(port));
  return problems(path, port ?? 0, validatePortNumber(port ?? 0));
}

function validateName(name: string | undefined, names: Set<string>, path: FieldPath): FieldError[] {
  if (isEmpty(name)) return [];
  const messages = validatePortName(name);
  if (messages.length > 0) return problems(path, name, messages);
  if (names.has(name)) return [duplicate(path, name)];
  names.add(name);
  return [];
}

function validateNumber(port: number | undefined, path: FieldPath): FieldError[] {
  return port ? problems(path, port, validatePortNumber(port)) : [required(path)];
}
