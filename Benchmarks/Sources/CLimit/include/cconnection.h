// One connection to a file of a library, with the statements of a workload prepared.
#ifndef CCONNECTION_H
#define CCONNECTION_H

typedef struct cconnection cconnection;

void cconnection_close(cconnection *connection);
const char *cconnection_message(cconnection *connection);
int cconnection_checkpoint(cconnection *connection);

#endif
