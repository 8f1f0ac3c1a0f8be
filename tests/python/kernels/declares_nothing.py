import assay
from base import forward


@assay.kernel
def declares_nothing(call):
    if call.pass_ != "fwd" or call.weights != "ekn" or call.convention != "ends":
        raise assay.Unsupported("forward with weights ekn and ends alone")
    forward(call)
