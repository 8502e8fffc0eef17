
Conv3DBackpropInputV2*